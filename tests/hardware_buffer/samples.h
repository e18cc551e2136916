#ifndef HY_TESTS_HARDWARE_BUFFER_SAMPLES_H
#define HY_TESTS_HARDWARE_BUFFER_SAMPLES_H

#include <android/hardware_buffer.h>

#define CPU_OFTEN (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

/* Descriptions of buffers that the CPU reads and writes. */
AHardwareBuffer_Desc blob_of(uint32_t bytes);
AHardwareBuffer_Desc image_of(uint32_t format, uint32_t width, uint32_t height);

/* NULL after a failure, which is recorded. */
AHardwareBuffer *allocated(AHardwareBuffer_Desc desc);

/* Anonymous memory with these seals, or -1. */
int sealed_memory(uint64_t bytes, int seals);

int count_descriptors(void); /* open in this process */
int count_mappings(void);

#endif
