// Completion scripts for shells. They run svcctl for candidates, so they need no update.
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const completionScripts: Readonly<Record<(typeof shells)[number], string>> = {
  // bash also splits words at =, : and @. So this script splits the line itself and removes from
  // each candidate the part that bash regards as typed. Inside quotes bash does not split, but the
  // word begins after the last of these characters. bash inserts candidates unchanged, so they are
  // quoted here. Double quotes cannot quote an exclamation mark, so it is put outside of them. bash
  // would take a quote at either end for the one around the word, so it is doubled.
  bash: `# Completion of svcctl for bash. Load it in ~/.bashrc: source <(svcctl completion bash)
_svcctl() {
  local line=\${COMP_LINE:0:COMP_POINT} words=() word= begun= quote= char typed= candidate breaks i
  for ((i = 0; i < \${#line}; i++)); do
    char=\${line:i:1}
    if [[ -n $quote && $char == "$quote" ]]; then quote=
    elif [[ $char == '\\' && $quote != "'" ]]; then
      ((i += 1)) && begun=1
      [[ -n $quote && \${line:i:1} != [\\"\\$\\\`\\\\] ]] && word+='\\'
      word+=\${line:i:1}
    elif [[ -n $quote ]]; then word+=$char
    elif [[ $char == [\\"\\'] ]]; then quote=$char begun=1 typed=$word
    elif [[ $char != [[:space:]] ]]; then word+=$char begun=1
    elif [[ -n $begun ]]; then words+=("$word") word= begun=
    fi
  done
  words+=("$word")
  breaks=\${COMP_WORDBREAKS//[^=:@]/}
  [[ -z $quote ]] && typed=
  [[ -z $quote && -n $breaks ]] && typed=\${word%"\${word##*[$breaks]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=\${candidate#"$typed"}
    if [[ -z $quote ]]; then printf -v candidate %q "$candidate" && candidate=\${candidate//\\\\,/,}
    elif [[ $candidate == *[\\'\\"\\$\\\`\\\\!]* ]]; then
      word=
      for ((i = 0; i < \${#candidate}; i++)); do
        char=\${candidate:i:1}
        case $quote$char in
          \\'\\') word+="'\\\\''" ;;
          \\"[\\"\\$\\\`\\\\]) word+="\\\\$char" ;;
          \\"!) word+="\\"'!'\\"" ;;
          *) word+=$char ;;
        esac
      done
      [[ $word == "$quote"* ]] && word=$quote$word
      candidate=$word
    fi
    COMPREPLY+=("$candidate")
  done < <(svcctl __complete -- "\${words[@]:1}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && -n $quote && \${COMPREPLY[0]} == *"$quote" ]] && COMPREPLY[0]+=$quote
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[=:,/] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _svcctl svcctl
`,
  // zsh would filter the candidates by its own matching: -U keeps all that svcctl returns. A
  // candidate with a description is listed on a line of its own.
  zsh: `#compdef svcctl
# Completion of svcctl for zsh. Put it as _svcctl into a folder of $fpath, or: source <(svcctl completion zsh)
_svcctl() {
  local -a found candidates shown open
  local line candidate widest=0
  found=(\${(f)"$(svcctl __complete --describe -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)"})
  for line in $found; do
    candidate=\${line%%$'\\t'*}
    (( \${#candidate} > widest )) && widest=\${#candidate}
  done
  for line in $found; do
    candidate=\${line%%$'\\t'*}
    if [[ $candidate == *[=:,/] ]]; then open+=("$candidate")
    else
      candidates+=("$candidate")
      [[ $line == *$'\\t'* ]] && candidate="\${(r:widest:)candidate}  -- \${line#*$'\\t'}"
      shown+=("$candidate")
    fi
  done
  if (( \${#found} )); then
    if [[ "$found" == *$'\\t'* ]]; then compadd -U -l -d shown -- $candidates
    else (( \${#candidates} )) && compadd -U -- $candidates
    fi
    (( \${#open} )) && compadd -U -S '' -- $open
  else
    [[ $PREFIX == --*=* ]] && compset -P '*='
    _files
  fi
}
if [[ "\${funcstack[1]}" == _svcctl ]]; then
  _svcctl "$@"
else
  compdef _svcctl svcctl
fi
`,
  fish: `# Completion of svcctl for fish: svcctl completion fish > ~/.config/fish/completions/svcctl.fish
function __svcctl_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  if string match -qr '^["\\']' -- $current
    set current (string sub -s 2 -- $current)
  else
    set current (string unescape -- $current)
  end
  set -l candidates (svcctl __complete --describe -- $words[2..-1] "$current" 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else if string match -qr -- '^--[^=]+=' $current
    set -l flag (string replace -r -- '=.*' '=' $current)
    string replace -r -- '^' $flag (__fish_complete_path (string replace -r -- '^[^=]+=' '' $current))
  else
    __fish_complete_path "$current"
  end
end
complete -c svcctl -f -a '(__svcctl_complete)'
`,
  // Before 7.3, PowerShell drops empty arguments of programs unless they are quoted twice.
  powershell: `# Completion of svcctl for PowerShell. Load it in $PROFILE: svcctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svcctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  if ($wordToComplete -eq '') {
    $words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' }
  }
  svcctl __complete --describe -- @words 2>$null | ForEach-Object {
    $word, $said = $_ -split "\`t", 2
    if (-not $said) { $said = $word }
    $text = if ($word -match '^[\\w./:=+-]+$') { $word } else { "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($word) + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $said)
  }
}
`,
};
