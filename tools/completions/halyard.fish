# Completion of halyard(1) for fish. Commands and options are what the program itself lists.
function __halyard_words
    commandline -opc
end

function __halyard_options
    set -l words (__halyard_words)
    $words[1] $words[2] --list-options 2>/dev/null | string replace -r '\t[^\t]*\t' '\t'
end

complete -c halyard -n 'test (count (__halyard_words)) -eq 1' -f -a '(halyard --list-commands)'
complete -c halyard -n 'test (count (__halyard_words)) -gt 1; and string match -q -- "-*" (commandline -ct)' -f -a '(__halyard_options)'
complete -c halyard -n 'test (__halyard_words)[-1] = --device' -f -a '(halyard devices --names)'
