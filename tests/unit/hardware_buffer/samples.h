#ifndef HY_TESTS_UNIT_HARDWARE_BUFFER_SAMPLES_H
#define HY_TESTS_UNIT_HARDWARE_BUFFER_SAMPLES_H

#include <android/hardware_buffer.h>

#define CPU_OFTEN (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

/* Buffer descriptions for reading and writing by the CPU. */
AHardwareBuffer_Desc blob_of(uint32_t bytes);
AHardwareBuffer_Desc image_of(uint32_t format, uint32_t width, uint32_t height);

/* Allocates a buffer. On failure records a test failure and returns NULL. */
AHardwareBuffer *allocated(AHardwareBuffer_Desc desc);

/* Anonymous memory with the given seals, or -1. */
int sealed_memory(uint64_t bytes, int seals);

int count_descriptors(void); /* open in this process */
int count_mappings(void);

#endif
