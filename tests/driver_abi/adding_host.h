#ifndef HY_TESTS_ADDING_HOST_H
#define HY_TESTS_ADDING_HOST_H

#include <halyard/driver.h>

/*
 * A host of the version that the header chooses, and what it asks of a driver: to add two tensors.
 * Behind each struct that the host passes to a driver lie bytes that a driver of any version has to
 * leave alone: as pointers they are wild.
 */
struct opened {
    void *library; /* NULL: linked in */
    const struct hy_driver *driver;
    void *instance, *device;
    const struct hy_device *told; /* the driver's own table */
};

/* False: not opened, and `opened` can be closed all the same. */
int adding_host_open(struct opened *opened, const char *path);
int adding_host_create(struct opened *opened, const struct hy_driver *driver);
void adding_host_close(struct opened *opened);

/* Supports, prepares and executes through a table; expectations are checked. */
int32_t adding_host_prepare(const struct hy_device *table, void *device, void **prepared);
void adding_host_execute(const struct hy_device *table, void *prepared);

/* A reusable execution, where the table has them. */
void adding_host_reuse(const struct hy_device *table, void *prepared);

#endif
