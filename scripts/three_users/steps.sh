# What the users of three_users.sh have in common: steps that say what they do and how long it took, and
# what is printed in the documentation. Source it with `set -eu` on.

begin_role() {
    echo
    echo "$1"
}

# step WHAT COMMAND…: what COMMAND printed is shown if it fails, and stands in $said.
step() {
    what=$1
    shift
    begun=$(date +%s%3N)
    said=$(mktemp)
    if ("$@") >"$said" 2>&1 </dev/null; then
        printf '  %-64s %7d ms\n' "$what" $(($(date +%s%3N) - begun))
    else
        printf '  %-64s FAILED\n' "$what"
        sed 's/^/    /' "$said"
        exit 1
    fi
}

# expect TEXT: the last step printed that. show PATTERN: repeats such lines of it.
expect() {
    grep -qF -- "$1" "$said" || {
        echo "  nothing of \"$1\" in:"
        sed 's/^/    /' "$said"
        exit 1
    }
}

show() {
    grep -- "$1" "$said" | sed 's/^/      /'
}

# as USER COMMAND…: a user without any power, in the place of the shell: for steps, and in the background.
as() {
    user=$1
    shift
    exec setpriv --reuid "$user" --regid "$user" --init-groups env HOME="/home/$user" USER="$user" "$@"
}

# printed_line FILE TEXT: the first line of code that has TEXT, with the lines that continue it and without
# what a comment adds.
printed_line() {
    sed -e ':more' -e '/\\$/{N;s/\\\n *//;b more' -e '}' "$1" |
        sed -n 's/^\( \*\)\{0,1\}    *//p' | sed 's/  *# .*//' | grep -m 1 -- "$2" || {
        echo "$1 prints no line with $2" >&2
        return 1
    }
}

# printed_block FILE LANGUAGE TEXT: the first block of code in LANGUAGE behind a line with TEXT.
printed_block() {
    awk -v language="\`\`\`$2" -v text="$3" '
        inside && /^```$/ { exit }
        inside { print; lines++ }
        near && $0 == language { inside = 1 }
        index($0, text) { near = 1 }
        END { exit !lines }' "$1" || {
        echo "$1 prints no $2 behind $3" >&2
        return 1
    }
}
