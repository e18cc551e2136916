# Completion of halyard(1) for bash. Commands and options are what the program itself lists.
_halyard() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]}

    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" --list-commands | cut -f 1)" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(
            compgen -W "$("$program" "${COMP_WORDS[1]}" --list-options | cut -f 1)" -- "$word")
    elif [ "$previous" = --device ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" devices --names)" -- "$word")
    elif [ "${COMP_WORDS[1]}" = cache ] && [ "$COMP_CWORD" -eq 2 ]; then
        mapfile -t COMPREPLY < <(compgen -W 'ls verify gc rm check' -- "$word")
    fi
} && complete -o bashdefault -o default -F _halyard halyard
