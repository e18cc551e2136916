/**
 * Buffers that several devices and processes can share without a copy, as in Android's NDK. On
 * Linux a buffer is a dma-buf if the machine can make one (a dma-heap, or udmabuf), else sealed
 * anonymous memory; docs/hardware-buffers.md defines the memory layout of each format.
 *
 * Functions that return int return 0 or the negative of an errno value. A function that fails
 * leaves its outputs unchanged. All functions may be called from any thread.
 */
#ifndef HALYARD_ANDROID_HARDWARE_BUFFER_H
#define HALYARD_ANDROID_HARDWARE_BUFFER_H

#include <android/rect.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/** The format of a pixel. Numbers of several bytes are in the byte order of the machine. */
enum AHardwareBuffer_Format {
    /** 4 bytes: red, green, blue, alpha. */
    AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM = 1,
    /** 4 bytes: red, green, blue; the fourth byte is ignored. */
    AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM = 2,
    /** 3 bytes: red, green, blue. */
    AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM = 3,
    /** 2 bytes: 5 bits red, 6 bits green, 5 bits blue. */
    AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM = 4,
    /** 8 bytes: four float16, red, green, blue, alpha. */
    AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT = 0x16,
    /** Plain bytes: width is the number of bytes, height and layers are 1. */
    AHARDWAREBUFFER_FORMAT_BLOB = 0x21,
    /** Three planes, see AHardwareBuffer_lockPlanes. */
    AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420 = 0x23,
    /** 4 bytes: 10 bits red, 10 bits green, 10 bits blue, 2 bits alpha. */
    AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM = 0x2b,
    /** 2 bytes of depth. */
    AHARDWAREBUFFER_FORMAT_D16_UNORM = 0x30,
    /** 4 bytes, with the depth in the low 24 bits. */
    AHARDWAREBUFFER_FORMAT_D24_UNORM = 0x31,
    /** Not supported: each device has its own layout of depth and stencil. */
    AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT = 0x32,
    /** 4 bytes of depth, a float32. */
    AHARDWAREBUFFER_FORMAT_D32_FLOAT = 0x33,
    /** Not supported, as D24_UNORM_S8_UINT. */
    AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT = 0x34,
    /** 1 byte of stencil. */
    AHARDWAREBUFFER_FORMAT_S8_UINT = 0x35,
    /** Not supported. */
    AHARDWAREBUFFER_FORMAT_YCbCr_P010 = 0x36,
    /** 1 byte: one component. */
    AHARDWAREBUFFER_FORMAT_R8_UNORM = 0x38,
    /** 2 bytes: one component. */
    AHARDWAREBUFFER_FORMAT_R16_UINT = 0x39,
    /** 4 bytes: two components of 2 bytes each. */
    AHARDWAREBUFFER_FORMAT_R16G16_UINT = 0x3a,
    /** Not supported. */
    AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM = 0x3b,
};

/** The uses of a buffer, or-ed together. */
__extension__ enum AHardwareBuffer_UsageFlags {
    /** How often the CPU reads; one value of the bits of the mask. The frequency is a hint. */
    AHARDWAREBUFFER_USAGE_CPU_READ_NEVER = 0UL,
    AHARDWAREBUFFER_USAGE_CPU_READ_RARELY = 2UL,
    AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN = 3UL,
    AHARDWAREBUFFER_USAGE_CPU_READ_MASK = 0xFUL,
    /** How often the CPU writes; one value of the bits of the mask. The frequency is a hint. */
    AHARDWAREBUFFER_USAGE_CPU_WRITE_NEVER = 0UL << 4,
    AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY = 2UL << 4,
    AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN = 3UL << 4,
    AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK = 0xFUL << 4,

    /** A GPU reads the buffer as a texture. Needs a dma-buf, because another device accesses the
     * buffer through its descriptor. */
    AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE = 1UL << 8,
    /** A GPU draws to the buffer. Needs a dma-buf. */
    AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER = 1UL << 9,
    AHARDWAREBUFFER_USAGE_GPU_COLOR_OUTPUT = AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER,
    /** A display shows the buffer. Needs a dma-buf. */
    AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY = 1UL << 11,
    /** A video encoder reads the buffer. Needs a dma-buf. */
    AHARDWAREBUFFER_USAGE_VIDEO_ENCODE = 1UL << 16,
    /** A sensor writes to the buffer. Needs a dma-buf. */
    AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA = 1UL << 23,

    /** BLOB alone. Without a dma-buf the BLOB is memory for the CPU, and is described so. */
    AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER = 1UL << 24,

    /** Not supported: memory that the CPU must not see, and layouts of textures. */
    AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT = 1UL << 14,
    AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP = 1UL << 25,
    AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE = 1UL << 26,
    AHARDWAREBUFFER_USAGE_FRONT_BUFFER = 1ULL << 32,

    /** For vendors. Not supported. */
    AHARDWAREBUFFER_USAGE_VENDOR_0 = 1ULL << 28,
    AHARDWAREBUFFER_USAGE_VENDOR_1 = 1ULL << 29,
    AHARDWAREBUFFER_USAGE_VENDOR_2 = 1ULL << 30,
    AHARDWAREBUFFER_USAGE_VENDOR_3 = 1ULL << 31,
    AHARDWAREBUFFER_USAGE_VENDOR_4 = 1ULL << 48,
    AHARDWAREBUFFER_USAGE_VENDOR_5 = 1ULL << 49,
    AHARDWAREBUFFER_USAGE_VENDOR_6 = 1ULL << 50,
    AHARDWAREBUFFER_USAGE_VENDOR_7 = 1ULL << 51,
    AHARDWAREBUFFER_USAGE_VENDOR_8 = 1ULL << 52,
    AHARDWAREBUFFER_USAGE_VENDOR_9 = 1ULL << 53,
    AHARDWAREBUFFER_USAGE_VENDOR_10 = 1ULL << 54,
    AHARDWAREBUFFER_USAGE_VENDOR_11 = 1ULL << 55,
    AHARDWAREBUFFER_USAGE_VENDOR_12 = 1ULL << 56,
    AHARDWAREBUFFER_USAGE_VENDOR_13 = 1ULL << 57,
    AHARDWAREBUFFER_USAGE_VENDOR_14 = 1ULL << 58,
    AHARDWAREBUFFER_USAGE_VENDOR_15 = 1ULL << 59,
    AHARDWAREBUFFER_USAGE_VENDOR_16 = 1ULL << 60,
    AHARDWAREBUFFER_USAGE_VENDOR_17 = 1ULL << 61,
    AHARDWAREBUFFER_USAGE_VENDOR_18 = 1ULL << 62,
    AHARDWAREBUFFER_USAGE_VENDOR_19 = 1ULL << 63,
};

/** The description of a buffer. */
typedef struct AHardwareBuffer_Desc {
    /** Pixels, or bytes of a BLOB. */
    uint32_t width;
    /** Rows of pixels; 1 for a BLOB. */
    uint32_t height;
    /** Images in the buffer, one behind the other. */
    uint32_t layers;
    /** One of AHardwareBuffer_Format. */
    uint32_t format;
    /** Of AHardwareBuffer_UsageFlags. */
    uint64_t usage;
    /** Pixels from one row to the next; ignored by AHardwareBuffer_allocate. */
    uint32_t stride;
    /** 0. */
    uint32_t rfu0;
    /** 0. */
    uint64_t rfu1;
} AHardwareBuffer_Desc;

/** One colour component of an image. */
typedef struct AHardwareBuffer_Plane {
    /** The address of the first pixel. */
    void *data;
    /** Bytes from one pixel to the next of its row. */
    uint32_t pixelStride;
    /** Bytes from one row to the next. */
    uint32_t rowStride;
} AHardwareBuffer_Plane;

/** All components of an image. */
typedef struct AHardwareBuffer_Planes {
    /** The number of planes in use. */
    uint32_t planeCount;
    /** The planes, planeCount of them. */
    AHardwareBuffer_Plane planes[4];
} AHardwareBuffer_Planes;

/** A reference-counted buffer. */
typedef struct AHardwareBuffer AHardwareBuffer;

/**
 * Make a buffer, all zero; the caller owns one reference. If no dma-buf can be made, a buffer for
 * GPU_DATA_BUFFER comes without this usage: AHardwareBuffer_describe reports the actual usage.
 * -EINVAL: a NULL, or a description that AHardwareBuffer_isSupported refuses. -ENOMEM and others:
 * the system refused the allocation.
 */
int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer);

/** Add a reference. NULL is ignored. */
void AHardwareBuffer_acquire(AHardwareBuffer *buffer);

/** Drop a reference; the last reference frees the buffer in this process. NULL is ignored. */
void AHardwareBuffer_release(AHardwareBuffer *buffer);

/** Report the description of the buffer, with its stride and the usage of its memory. */
void AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc);

/**
 * Begin to use the buffer from the CPU, and get the address of the first pixel, independent of the
 * rectangle. Any number of reading locks may exist at the same time; a writing lock is exclusive.
 *   usage  CPU_READ and CPU_WRITE values, at least one; a usage outside the buffer's description is
 *          refused
 *   fence  a descriptor to wait for until it polls readable, or -1. The call closes the descriptor
 *          on success and on failure
 *   rect   the pixels that the caller uses, inside the buffer and not empty; NULL: all
 * -EINVAL: a NULL, the usage, the rectangle, the fence, or a buffer of several layers. -EBUSY: an
 * existing lock excludes the new lock. -EIO: the fence polls in error, or the fence is a kernel
 * sync_file with an error as its status.
 */
int AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
                         void **outVirtualAddress);

/**
 * As AHardwareBuffer_lock, with the bytes of a pixel and the bytes from one row to the next: -1
 * each for a format of several planes. FL 3.
 */
int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
                                   const ARect *rect, void **outVirtualAddress,
                                   int32_t *outBytesPerPixel, int32_t *outBytesPerStride);

/**
 * As AHardwareBuffer_lock, for all components: Y, Cb, Cr of Y8Cb8Cr8_420; one plane of any other
 * format. FL 3.
 */
int AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
                               const ARect *rect, AHardwareBuffer_Planes *outPlanes);

/**
 * End a lock. The address becomes invalid. All work is complete when the call returns: `fence`,
 * which may be NULL, becomes -1. -EINVAL: a NULL, or a buffer that is not locked.
 */
int AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence);

/**
 * Send the buffer through a Unix socket to AHardwareBuffer_recvHandleFromUnixSocket. Waits while
 * the socket is full, also for a non-blocking socket. The caller keeps its reference. -EINVAL: a
 * NULL or no socket. Other errors are the errors of sendmsg; -EPIPE: the peer has closed the
 * connection.
 */
int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer, int socketFd);

/**
 * Wait for a buffer and receive it; the caller owns one reference. The peer is not trusted: the
 * description is checked against the memory. -EINVAL: a NULL or no socket. -EBADMSG: the received
 * data is no buffer, and the stream cannot be used any more. -ENOTCONN: the peer has closed the
 * connection. Other errors are the errors of recvmsg.
 */
int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer **outBuffer);

/** Return 1 if AHardwareBuffer_allocate accepts the description, apart from lack of memory; else 0.
 * FL 3. */
int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc);

/**
 * A number of the memory, unique on this machine while the memory lives; every process that
 * receives the buffer gets the same number. -EINVAL: a NULL. FL 5.
 */
int AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
