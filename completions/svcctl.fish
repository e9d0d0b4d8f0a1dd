# Completion of svcctl for fish: svcctl completion fish > ~/.config/fish/completions/svcctl.fish
function __svcctl_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  if string match -qr '^["\']' -- $current
    set current (string sub -s 2 -- $current)
  else
    set current (string unescape -- $current)
  end
  set -l candidates (svcctl __complete --describe -- $words[2..-1] "$current" 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\n' $candidates
  else if string match -qr -- '^--[^=]+=' $current
    set -l flag (string replace -r -- '=.*' '=' $current)
    string replace -r -- '^' $flag (__fish_complete_path (string replace -r -- '^[^=]+=' '' $current))
  else
    __fish_complete_path "$current"
  end
end
complete -c svcctl -f -a '(__svcctl_complete)'
