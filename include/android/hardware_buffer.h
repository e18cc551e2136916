/**
 * Buffers that several devices and processes can share without a copy, as in Android's NDK. On
 * Linux a buffer is a dma-buf where the machine can make one (a dma-heap, or udmabuf), else sealed
 * anonymous memory; docs/hardware-buffers.md says how the pixels of each format lie in it.
 *
 * Functions that return int return 0, or the negative of an errno value and then leave their
 * outputs as they were. All may be called from any thread.
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

/** What a pixel is. Numbers of several bytes are in the order of the machine. */
enum AHardwareBuffer_Format {
    AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM = 1,
    /** The fourth byte is ignored. */
    AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM = 2,
    AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM = 3,
    AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM = 4,
    AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT = 0x16,
    /** Plain bytes: width is their number, height and layers are 1. */
    AHARDWAREBUFFER_FORMAT_BLOB = 0x21,
    /** Three planes, see AHardwareBuffer_lockPlanes. */
    AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420 = 0x23,
    AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM = 0x2b,
    AHARDWAREBUFFER_FORMAT_D16_UNORM = 0x30,
    AHARDWAREBUFFER_FORMAT_D24_UNORM = 0x31,
    /** Not supported: where depth and stencil lie is a device's own business. */
    AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT = 0x32,
    AHARDWAREBUFFER_FORMAT_D32_FLOAT = 0x33,
    /** Not supported, as D24_UNORM_S8_UINT. */
    AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT = 0x34,
    AHARDWAREBUFFER_FORMAT_S8_UINT = 0x35,
    /** Not supported. */
    AHARDWAREBUFFER_FORMAT_YCbCr_P010 = 0x36,
    AHARDWAREBUFFER_FORMAT_R8_UNORM = 0x38,
    AHARDWAREBUFFER_FORMAT_R16_UINT = 0x39,
    AHARDWAREBUFFER_FORMAT_R16G16_UINT = 0x3a,
    /** Not supported. */
    AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM = 0x3b,
};

/** What a buffer is used for, or-ed together. */
__extension__ enum AHardwareBuffer_UsageFlags {
    AHARDWAREBUFFER_USAGE_CPU_READ_NEVER = 0UL,
    AHARDWAREBUFFER_USAGE_CPU_READ_RARELY = 2UL,
    AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN = 3UL,
    AHARDWAREBUFFER_USAGE_CPU_READ_MASK = 0xFUL,
    AHARDWAREBUFFER_USAGE_CPU_WRITE_NEVER = 0UL << 4,
    AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY = 2UL << 4,
    AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN = 3UL << 4,
    AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK = 0xFUL << 4,

    /** These need a dma-buf: other devices get at the buffer through its descriptor. */
    AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE = 1UL << 8,
    AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER = 1UL << 9,
    AHARDWAREBUFFER_USAGE_GPU_COLOR_OUTPUT = AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER,
    AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY = 1UL << 11,
    AHARDWAREBUFFER_USAGE_VIDEO_ENCODE = 1UL << 16,
    AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA = 1UL << 23,

    /** BLOB alone. Without a dma-buf the BLOB is memory for the CPU, and is described so. */
    AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER = 1UL << 24,

    /** Not supported: memory that the CPU must not see, and layouts of textures. */
    AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT = 1UL << 14,
    AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP = 1UL << 25,
    AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE = 1UL << 26,
    AHARDWAREBUFFER_USAGE_FRONT_BUFFER = 1ULL << 32,

    /** For vendors; Halyard knows none and supports none. */
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

/** What a buffer is. */
typedef struct AHardwareBuffer_Desc {
    /** Pixels, or bytes of a BLOB. */
    uint32_t width;
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
    /** Of the first pixel. */
    void *data;
    /** Bytes from one pixel to the next of its row. */
    uint32_t pixelStride;
    /** Bytes from one row to the next. */
    uint32_t rowStride;
} AHardwareBuffer_Plane;

/** All components of an image. */
typedef struct AHardwareBuffer_Planes {
    uint32_t planeCount;
    AHardwareBuffer_Plane planes[4];
} AHardwareBuffer_Planes;

/** A counted buffer. */
typedef struct AHardwareBuffer AHardwareBuffer;

/**
 * Make a buffer, all zero; the caller has one reference to it. A buffer for GPU_DATA_BUFFER may
 * come without this usage, where no dma-buf can be made: AHardwareBuffer_describe tells.
 * -EINVAL: a NULL, or a description that AHardwareBuffer_isSupported refuses. -ENOMEM and others:
 * the system refused.
 */
int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer);

/** Add a reference. NULL is ignored. */
void AHardwareBuffer_acquire(AHardwareBuffer *buffer);

/** Give a reference back; with the last one the buffer is gone here. NULL is ignored. */
void AHardwareBuffer_release(AHardwareBuffer *buffer);

/** What the buffer is, with its stride and the usage that its memory serves. */
void AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc);

/**
 * Begin to use the buffer from the CPU, and get its address: of the first pixel, whatever the
 * rectangle. Any number of locks may read at once; one that writes is alone.
 *   usage  of the CPU_READ and CPU_WRITE values, at least one; what the buffer was not made for is
 *          refused
 *   fence  a descriptor to wait for until it polls readable, or -1. The call closes it, however it
 *          ends.
 *   rect   the pixels that will be used, inside the buffer and not empty; NULL: all
 * -EINVAL: a NULL, the usage, the rectangle, the fence, or a buffer of several layers. -EBUSY: it
 * is locked in a way that excludes this one. -EIO: the fence polls in error, or is a sync_file of
 * the kernel whose status is an error.
 */
int AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
                         void **outVirtualAddress);

/**
 * The same, and the bytes of a pixel and from one row to the next: -1 each for a format of several
 * planes. FL 3.
 */
int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
                                   const ARect *rect, void **outVirtualAddress,
                                   int32_t *outBytesPerPixel, int32_t *outBytesPerStride);

/**
 * The same, for all components: Y, Cb, Cr of Y8Cb8Cr8_420; one plane of any other format. FL 3.
 */
int AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
                               const ARect *rect, AHardwareBuffer_Planes *outPlanes);

/**
 * End a use. The address is not valid any more. All is done when the call returns: `fence`, which
 * may be NULL, becomes -1. -EINVAL: a NULL, or a buffer that is not locked.
 */
int AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence);

/**
 * Send the buffer through a Unix socket to AHardwareBuffer_recvHandleFromUnixSocket. Waits while
 * the socket is full, also a non-blocking one. The buffer stays the caller's, too.
 * -EINVAL: a NULL or no socket. Else what sendmsg says; -EPIPE where the peer is gone.
 */
int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer, int socketFd);

/**
 * Receive a buffer, of which the caller has one reference then; waits for it. What the peer sends
 * is not trusted: all is checked that the description says of the memory. -EINVAL: a NULL or no
 * socket. -EBADMSG: what came is no buffer; the stream is of no more use. -ENOTCONN: the peer is
 * gone. Else what recvmsg says.
 */
int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer **outBuffer);

/** 1 where AHardwareBuffer_allocate takes the description, apart from lack of memory; else 0. FL 3.
 */
int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc);

/**
 * A number for the memory that no other has on this machine while it lives; every process that the
 * buffer was sent to sees the same. -EINVAL: a NULL. FL 5.
 */
int AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
