#ifndef HY_CPU_FALLBACK_KERNELS_TILE_PERMISSION_H
#define HY_CPU_FALLBACK_KERNELS_TILE_PERMISSION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Tiles (AMX) are 8 KiB more of state in each thread, which Linux gives a process that asks for it,
 * for good. The process pays: signal frames need 11,952 bytes from then on, and sigaltstack()
 * refuses stacks that are smaller. So they are asked for when an operation is prepared that uses
 * them, and not before.
 */

/* Whether processor and kernel have tiles of 8-bit products. Asks for nothing; the same for the
 * life of the process. */
bool hy_tiles_exist(void);

/* Whether this process may use them, and they work: asked and tried once, at the first call. */
int hy_tiles_ask(void);

/* Why a processor with tiles is used without them. NULL: it has none, or they are used, or have not
 * been asked for. */
const char *hy_tiles_refusal(void);

/* What is asked, for tests. */
struct hy_tile_system {
    bool (*kernel_saves)(void);                      /* of a processor with tiles */
    int (*arch_prctl)(int code, uintptr_t argument); /* 0, or an errno */
    bool (*compute)(void);                           /* tries them out */
};

/* The reason why there are none, or why they may not be used, or NULL. */
const char *hy_tiles_missing(const struct hy_tile_system *system);
const char *hy_tiles_refused(const struct hy_tile_system *system);

#endif
