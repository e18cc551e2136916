#ifndef HY_RUNTIME_HANDLE_DEVICE_CHECK_H
#define HY_RUNTIME_HANDLE_DEVICE_CHECK_H

#include "android/NeuralNetworks.h"

/* NO_ERROR for a device of ours; UNEXPECTED_NULL or BAD_DATA, with the words under the function's
 * name, for anything else. Safe for any pointer value. */
int hy_api_check_device(const char *function, const ANeuralNetworksDevice *handle);

#endif
