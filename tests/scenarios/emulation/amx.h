#ifndef HY_TESTS_SCENARIOS_EMULATION_AMX_H
#define HY_TESTS_SCENARIOS_EMULATION_AMX_H

/*
 * C emulation of the AMX instructions used by the kernels. Included before a kernel (-include) in
 * place of tile_instructions.h. A fault of a real processor is a fault here, too.
 */
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_TILE_INSTRUCTIONS_H

#include <stddef.h>

struct tile_config;

void emulated_load_config(const struct tile_config *config);
void emulated_store_config(struct tile_config *config);
void emulated_release(void);
void emulated_zero(int tile);
void emulated_load(int tile, const void *from, size_t stride);
void emulated_store(int tile, void *to, size_t stride);
void emulated_dot_ss(int sums, int left, int right);
void emulated_dot_us(int sums, int left, int right);

/* Clears the tile contents but preserves the configuration. */
void emulated_lose(void);

/* Replaces hy_tiles_ask(). emulated_tiles_set_result sets the result; the initial result is yes. */
int emulated_tiles_ask(void);
void emulated_tiles_set_result(int result);

/* Number of emulated_tiles_ask calls, and of tile configurations. */
unsigned emulated_tiles_asked(void);
unsigned emulated_tiles_used(void);

/* Sets the fault handler. The handler receives the violated rule and must not return. Without a
 * handler (NULL) the program ends. */
void emulated_on_fault(void (*handler)(const char *rule));

#define tile_load_config(config)       emulated_load_config(config)
#define tile_store_config(config)      emulated_store_config(config)
#define tile_release()                 emulated_release()
#define tile_zero(tile)                emulated_zero(tile)
#define tile_load(tile, from, stride)  emulated_load(tile, from, stride)
#define tile_store(tile, to, stride)   emulated_store(tile, to, stride)
#define tile_dot_ss(sums, left, right) emulated_dot_ss(sums, left, right)
#define tile_dot_us(sums, left, right) emulated_dot_us(sums, left, right)

#endif
