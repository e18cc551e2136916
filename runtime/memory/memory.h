#ifndef HY_RUNTIME_MEMORY_H
#define HY_RUNTIME_MEMORY_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/*
 * Memory that an app shares with the runtime. Counted by models and executions, so an app may free
 * it early. Thread-safe after creation.
 */
struct hy_domain;
struct hy_memory;

/*
 * Memory behind a file descriptor: POSIX shared memory, a memfd or a regular file. The fd is
 * duplicated and mapped shared at once.
 *   size     bytes, > 0; offset + size must lie inside the file where the fd has a size
 *   protect  PROT_READ, PROT_WRITE or both: what the app may use the memory for. Memory to be
 *            written is mapped and told to drivers for reading as well. With PROT_NONE the memory
 *            exists, but serves nothing
 *   offset   a multiple of the page size
 * Errors, in this order: FAILED (the fd cannot be duplicated), BAD_DATA (size, protection, offset,
 * a file too short, an fd that cannot be mapped that way), UNMAPPABLE; OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_memory_from_fd(size_t size, int protect, int fd, size_t offset,
                                             struct hy_memory **ret, struct hy_error *err);

/*
 * Anonymous shared memory of `size` bytes > 0, all zero, for the uses that the domain says; NULL:
 * any. Its size is sealed. Takes the domain over, also on failure. Errors: OUT_OF_MEMORY; FAILED,
 * UNMAPPABLE (the system refused).
 */
HY_MUST_CHECK enum hy_code hy_memory_from_domain(struct hy_domain *domain, uint64_t size,
                                                 struct hy_memory **ret, struct hy_error *err);

/*
 * The same for others to read: the pool can be mapped for reading alone, and its address is the one
 * mapping that writes. Its contents are sealed, too, see seals.h. Errors: as above.
 */
HY_MUST_CHECK enum hy_code hy_memory_to_read(uint64_t size, struct hy_memory **ret,
                                             struct hy_error *err);

/* The memory of a device that the domain has, which is taken over, also on failure: its pool has no
 * address, and a size only if the shape is known. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_memory_from_device(struct hy_domain *domain, struct hy_memory **ret,
                                                 struct hy_error *err);

/* Memory that somebody else has made, sealed against shrinking. The bytes are looked up once more,
 * and so is an image, which has to need as many. */
struct hy_memory_source {
    uint32_t kind;                /* HY_POOL_HARDWARE_BUFFER_BLOB, HY_POOL_HARDWARE_BUFFER */
    uint32_t protection;          /* HY_PROTECT_*: at least READ */
    int fd;                       /* duplicated */
    uint64_t bytes;               /* > 0, from the start of the fd; they are mapped at once */
    const struct hy_image *image; /* copied; NULL unless it is one */
    bool is_dma_buf;              /* see hy_memory_access_begin */
};

/* Errors: UNMAPPABLE (an image that cannot be, memory with fewer bytes, the system refused); FAILED
 * (the fd cannot be duplicated); OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_memory_from_source(const struct hy_memory_source *source,
                                                 struct hy_memory **ret, struct hy_error *err);

struct hy_memory *hy_memory_retain(struct hy_memory *memory);
void hy_memory_release(struct hy_memory *memory); /* takes NULL */

/* The handle for a driver; `address` holds the mapping, if it can have one. Valid while the memory
 * lives. */
const struct hy_pool *hy_memory_pool(const struct hy_memory *memory);

/* Of memory from a descriptor; NULL for all other. */
struct hy_domain *hy_memory_domain(const struct hy_memory *memory);

/* An image is an argument as a whole; the size of its pool is all of its rows. */
bool hy_memory_is_image(const struct hy_memory *memory);

/* Others may share it that see nothing of this process's caches. */
bool hy_memory_is_dma_buf(const struct hy_memory *memory);

/* HY_SEALS_* as they were when the memory was made; what the app seals later is not seen. 0: there
 * is no descriptor. */
unsigned hy_memory_seals(const struct hy_memory *memory);

/* A number for a piece of memory that is never given twice in this process; for hy_pool.id. */
uint64_t hy_memory_next_id(void);

#endif
