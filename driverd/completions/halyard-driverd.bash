# Completion of halyard-driverd(8) for bash. Options and manifests are what the program itself lists.
_halyard_driverd() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]}

    COMPREPLY=()
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" --list-options | cut -f 1)" -- "$word")
    elif [[ $previous != --* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" --list-manifests)" -- "$word")
    fi
} && complete -o bashdefault -o default -F _halyard_driverd halyard-driverd
