#include "tests/caching/state.h"

#include <stdlib.h>

static struct place place;

/* Before anything reads the environment. */
__attribute__((constructor)) static void make(void)
{
    place = place_make(true);
    if (!place.path[0] || setenv("HALYARD_STATE_DIR", place.path, 1) != 0)
        abort();
}

const struct place *state_place(void)
{
    return &place;
}
