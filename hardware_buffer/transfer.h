#ifndef HY_HARDWARE_BUFFER_TRANSFER_H
#define HY_HARDWARE_BUFFER_TRANSFER_H

#include "hardware_buffer/hw_buffer.h"

/* Implementations of AHardwareBuffer_sendHandleToUnixSocket and
 * AHardwareBuffer_recvHandleFromUnixSocket. */
HY_MUST_CHECK int hy_hardware_buffer_send(const AHardwareBuffer *buffer, int socket);
HY_MUST_CHECK int hy_hardware_buffer_receive(int socket, AHardwareBuffer **ret,
                                             struct hy_error *err);

#endif
