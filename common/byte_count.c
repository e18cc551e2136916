#include "common/byte_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool hy_byte_count_read(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

    if (unit)
        end += strcmp(end + 1, "iB") == 0 ? 3 : 1;
    if (errno || *end || value > UINT64_MAX >> shift)
        return false;
    *out = (uint64_t)value << shift;
    return true;
}
