// How each shell asks svcctl what could stand at the cursor. The scripts know no command: they never grow old.
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const completionScripts: Readonly<Record<(typeof shells)[number], string>> = {
  // bash splits words at = and : too, so the line is split here (read takes backslashes away), and what bash takes for typed is cut off again.
  bash: `# Completion of svcctl for bash. Load it in ~/.bashrc: source <(svcctl completion bash)
_svcctl() {
  local line=\${COMP_LINE:0:COMP_POINT} words current typed candidate
  read -a words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=\${words[\${#words[@]}-1]}
  typed=\${current%"\${current##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    COMPREPLY+=("$(printf %q "\${candidate#"$typed"}")")
  done < <(svcctl __complete -- "\${words[@]:1}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _svcctl svcctl
`,
  zsh: `#compdef svcctl
# Completion of svcctl for zsh. Put it as _svcctl into a folder of $fpath, or: source <(svcctl completion zsh)
_svcctl() {
  local -a candidates
  candidates=(\${(f)"$(svcctl __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#candidates} )); then
    compadd -- $candidates
  else
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
  set -l candidates (svcctl __complete -- $words[2..-1] "$current" 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path "$current"
  end
end
complete -c svcctl -f -a '(__svcctl_complete)'
`,
  // Before 7.3 PowerShell drops empty arguments of programs, unless they are quoted twice.
  powershell: `# Completion of svcctl for PowerShell. Load it in $PROFILE: svcctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svcctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  if ($wordToComplete -eq '') {
    $words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' }
  }
  svcctl __complete -- @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
};
