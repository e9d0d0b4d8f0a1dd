# Completion of svcctl for bash. Load it in ~/.bashrc: source <(svcctl completion bash)
_svcctl() {
  local line=${COMP_LINE:0:COMP_POINT} words=() word= begun= quote= char typed= candidate breaks i
  for ((i = 0; i < ${#line}; i++)); do
    char=${line:i:1}
    if [[ -n $quote && $char == "$quote" ]]; then quote=
    elif [[ $char == '\' && $quote != "'" ]]; then ((i += 1)); word+=${line:i:1} begun=1
    elif [[ -n $quote ]]; then word+=$char
    elif [[ $char == [\"\'] ]]; then quote=$char begun=1
    elif [[ $char != [[:space:]] ]]; then word+=$char begun=1
    elif [[ -n $begun ]]; then words+=("$word") word= begun=
    fi
  done
  words+=("$word")
  breaks=${COMP_WORDBREAKS//[^=:@]/}
  [[ -z $quote && -n $breaks ]] && typed=${word%"${word##*[$breaks]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate#"$typed"}
    [[ -z $quote ]] && printf -v candidate %q "$candidate" && candidate=${candidate//\\,/,}
    COMPREPLY+=("$candidate")
  done < <(svcctl __complete -- "${words[@]:1}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:,/] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _svcctl svcctl
