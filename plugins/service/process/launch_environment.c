#include "plugins/service/process/launch_environment.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MORE "HALYARD_SERVICE_ENVIRONMENT="

/* Names, separated by ':'. A name with a trailing '*' matches all variables with the prefix. */
static const char usual[] = "HALYARD_*:"
                            "HOME:XDG_STATE_HOME:"     /* state directory */
                            "STATE_DIRECTORY:"         /* state directory of a systemd service */
                            "LD_LIBRARY_PATH:"         /* library search path */
                            "LANG:LC_*:TZ:"            /* formats of numbers and times */
                            "GLIBC_TUNABLES:MALLOC_*:" /* settings of libc */
                            "ASAN_OPTIONS:LSAN_OPTIONS:TSAN_OPTIONS:UBSAN_OPTIONS";

static bool is_named(const char *variable, const char *names)
{
    const size_t length = strcspn(variable, "=");

    for (const char *name = names; *name;) {
        const size_t size = strcspn(name, ":");
        const bool is_start = size > 0 && name[size - 1] == '*';
        if (is_start ? length >= size - 1 && strncmp(variable, name, size - 1) == 0
                     : length == size && strncmp(variable, name, size) == 0)
            return true;
        name += size + (name[size] == ':');
    }
    return false;
}

static const char *find_more(char *const *all)
{
    for (; *all; all++) {
        if (strncmp(*all, MORE, strlen(MORE)) == 0)
            return *all + strlen(MORE);
    }
    return "";
}

char **hy_launch_environment(char *const *all, bool is_secure)
{
    static char *const none[] = {NULL};
    size_t count = 0;

    if (!all || is_secure)
        all = none;
    while (all[count])
        count++;
    char **passed = calloc(count + 1, sizeof *passed);
    const char *more = find_more(all);
    if (!passed)
        return NULL;
    for (size_t from = 0, to = 0; from < count; from++) {
        if (is_named(all[from], usual) || is_named(all[from], more))
            passed[to++] = all[from];
    }
    return passed;
}
