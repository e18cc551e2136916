#ifndef HY_RUNTIME_HANDLE_DEVICE_CHECK_H
#define HY_RUNTIME_HANDLE_DEVICE_CHECK_H

#include "android/NeuralNetworks.h"

/* NO_ERROR for a device of the list. UNEXPECTED_NULL or BAD_DATA for all other pointers, with an
 * error text under the function's name. Safe for any pointer value. */
int hy_api_check_device(const char *function, const ANeuralNetworksDevice *handle);

#endif
