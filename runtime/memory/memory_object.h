#ifndef HY_RUNTIME_MEMORY_OBJECT_H
#define HY_RUNTIME_MEMORY_OBJECT_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/*
 * Memory shared between an app and the runtime. Models and executions hold references, so an app
 * may free the object early. Thread-safe after creation.
 */
struct hy_domain;
struct hy_memory;

/*
 * Creates memory from a file descriptor: POSIX shared memory, a memfd or a regular file. The fd is
 * duplicated and mapped shared at once.
 *   size     bytes, > 0; offset + size must lie inside a file with a known size
 *   protect  PROT_READ, PROT_WRITE or both: the allowed uses. Writable memory is mapped for reading
 *            and reported to drivers as readable, too. Memory with PROT_NONE has no allowed use
 *   offset   a multiple of the page size
 * Errors, in this order: FAILED (the fd cannot be duplicated), BAD_DATA (size, protection, offset,
 * a file too short, an fd without the needed access), UNMAPPABLE; OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_memory_from_fd(size_t size, int protect, int fd, size_t offset,
                                             struct hy_memory **ret, struct hy_error *err);

/*
 * Allocates zeroed, anonymous shared memory of `size` > 0 bytes for the uses of the domain; NULL:
 * any use. The size is sealed. Takes ownership of the domain, also on failure. Errors:
 * OUT_OF_MEMORY; FAILED, UNMAPPABLE (the system refused).
 */
HY_MUST_CHECK enum hy_code hy_memory_from_domain(struct hy_domain *domain, uint64_t size,
                                                 struct hy_memory **ret, struct hy_error *err);

/*
 * Allocates memory like hy_memory_from_domain, for data that drivers only read. The pool can only
 * be mapped for reading, and its address is the only writable mapping. The contents are sealed too,
 * see seals.h. Errors: as above.
 */
HY_MUST_CHECK enum hy_code hy_memory_to_read(uint64_t size, struct hy_memory **ret,
                                             struct hy_error *err);

/* Creates a memory object for the device memory of a domain. Takes ownership of the domain, also on
 * failure. The pool has no address, and has a size only for a known shape. Errors:
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_memory_from_device(struct hy_domain *domain, struct hy_memory **ret,
                                                 struct hy_error *err);

/* Foreign memory, sealed against shrinking. The size is checked again, and an image must need as
 * many bytes. */
struct hy_memory_source {
    uint32_t kind;                /* HY_POOL_HARDWARE_BUFFER_BLOB, HY_POOL_HARDWARE_BUFFER */
    uint32_t protection;          /* HY_PROTECT_*: at least READ */
    int fd;                       /* duplicated */
    uint64_t bytes;               /* > 0, from the start of the fd; mapped at once */
    const struct hy_image *image; /* copied; NULL for a BLOB */
    bool is_dma_buf;              /* see hy_memory_access_begin */
};

/* Creates a memory object for foreign memory. Errors: UNMAPPABLE (an invalid image, too few bytes,
 * the system refused); FAILED (the fd cannot be duplicated); OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_memory_from_source(const struct hy_memory_source *source,
                                                 struct hy_memory **ret, struct hy_error *err);

struct hy_memory *hy_memory_retain(struct hy_memory *memory);
void hy_memory_release(struct hy_memory *memory); /* NULL is allowed */

/* The pool for drivers; `address` holds the mapping, if mappable. Valid while the memory lives. */
const struct hy_pool *hy_memory_pool(const struct hy_memory *memory);

/* The domain of memory from a descriptor. NULL for all other memory. */
struct hy_domain *hy_memory_domain(const struct hy_memory *memory);

/* True for an image. An image is an argument as a whole; the size of the pool covers all rows. */
bool hy_memory_is_image(const struct hy_memory *memory);

/* True for a dma-buf, shared with devices outside of the CPU caches. */
bool hy_memory_is_dma_buf(const struct hy_memory *memory);

/* HY_SEALS_* at the creation of the memory; later seals are ignored. 0: no descriptor. */
unsigned hy_memory_seals(const struct hy_memory *memory);

/* Returns a unique number of memory in the process, for hy_pool.id. */
uint64_t hy_memory_next_id(void);

#endif
