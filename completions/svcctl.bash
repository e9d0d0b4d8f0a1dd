# Completion of svcctl for bash. Load it in ~/.bashrc: source <(svcctl completion bash)
_svcctl() {
  local line=${COMP_LINE:0:COMP_POINT} words=() word= begun= quote= char typed= candidate breaks i
  for ((i = 0; i < ${#line}; i++)); do
    char=${line:i:1}
    if [[ -n $quote && $char == "$quote" ]]; then quote=
    elif [[ $char == '\' && $quote != "'" ]]; then
      ((i += 1)) && begun=1
      [[ -n $quote && ${line:i:1} != [\"\$\`\\] ]] && word+='\'
      word+=${line:i:1}
    elif [[ -n $quote ]]; then word+=$char
    elif [[ $char == [\"\'] ]]; then quote=$char begun=1 typed=$word
    elif [[ $char != [[:space:]] ]]; then word+=$char begun=1
    elif [[ -n $begun ]]; then words+=("$word") word= begun=
    fi
  done
  words+=("$word")
  breaks=${COMP_WORDBREAKS//[^=:@]/}
  [[ -z $quote ]] && typed=
  [[ -z $quote && -n $breaks ]] && typed=${word%"${word##*[$breaks]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate#"$typed"}
    if [[ -z $quote ]]; then printf -v candidate %q "$candidate" && candidate=${candidate//\\,/,}
    elif [[ $candidate == *[\'\"\$\`\\!]* ]]; then
      word=
      for ((i = 0; i < ${#candidate}; i++)); do
        char=${candidate:i:1}
        case $quote$char in
          \'\') word+="'\\''" ;;
          \"[\"\$\`\\]) word+="\\$char" ;;
          \"!) word+="\"'!'\"" ;;
          *) word+=$char ;;
        esac
      done
      [[ $word == "$quote"* ]] && word=$quote$word
      candidate=$word
    fi
    COMPREPLY+=("$candidate")
  done < <(svcctl __complete -- "${words[@]:1}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && -n $quote && ${COMPREPLY[0]} == *"$quote" ]] && COMPREPLY[0]+=$quote
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:,/] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _svcctl svcctl
