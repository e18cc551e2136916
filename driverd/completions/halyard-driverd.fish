# Completion of halyard-driverd(8) for fish. Options and manifests are what the program itself lists.
function __halyard_driverd_options
    set -l words (commandline -opc)
    $words[1] --list-options 2>/dev/null | string replace -r '\t[^\t]*\t' '\t'
end

complete -c halyard-driverd -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__halyard_driverd_options)'
complete -c halyard-driverd -n 'not string match -q -- "--*" (commandline -opc)[-1]' -f -a '((commandline -opc)[1] --list-manifests)'
