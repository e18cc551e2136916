#ifndef HY_TESTS_ADDING_HOST_H
#define HY_TESTS_ADDING_HOST_H

#include <halyard/driver.h>

/*
 * A host of the ABI version chosen by the included header; uses a driver for adding two tensors.
 * Behind each struct passed to a driver lie guard bytes. As pointers the guard bytes are invalid,
 * and a driver of any version must not touch the bytes.
 */
struct opened {
    void *library; /* NULL: linked statically */
    const struct hy_driver *driver;
    void *instance, *device;
    const struct hy_device *reported; /* the driver's own function table */
};

/* On failure returns false; adding_host_close is allowed anyway. */
int adding_host_open(struct opened *opened, const char *path);
int adding_host_create(struct opened *opened, const struct hy_driver *driver);
void adding_host_close(struct opened *opened);

/* Call supported_operations, prepare and execute through a table, and check the results. */
int32_t adding_host_prepare(const struct hy_device *table, void *device, void **prepared);
void adding_host_execute(const struct hy_device *table, void *prepared);

/* Runs a reusable execution if the table has the functions. */
void adding_host_reuse(const struct hy_device *table, void *prepared);

#endif
