# Completion of svcctl for bash. Load it in ~/.bashrc: source <(svcctl completion bash)
_svcctl() {
  local line=${COMP_LINE:0:COMP_POINT} words current typed candidate
  read -a words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=${words[${#words[@]}-1]}
  typed=${current%"${current##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    COMPREPLY+=("$(printf %q "${candidate#"$typed"}")")
  done < <(svcctl __complete -- "${words[@]:1}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _svcctl svcctl
