#ifndef HY_TESTS_SAMPLE_CACHE_FIXTURE_H
#define HY_TESTS_SAMPLE_CACHE_FIXTURE_H

#include "plugin_fixture.h"

#include "tools/check_driver/host_cache.h"

#include <android/NeuralNetworks.h>

#define NET_MAX_LAYERS 4u

/*
 * A model of fully connected layers with the weights in a pool, like an app's weights. A fixed seed
 * determines the values.
 */
struct net {
    uint32_t widths[NET_MAX_LAYERS + 1];
    uint32_t layers;
    bool is_quantised;
    uint8_t *weights, *input;
    uint64_t weights_size;
    struct hy_pool pool;
    struct hy_operand operands[4 * NET_MAX_LAYERS + 1];
    struct hy_operation operations[NET_MAX_LAYERS];
    uint32_t dims[4 * NET_MAX_LAYERS + 1][2];
    uint32_t operands_of[NET_MAX_LAYERS][5];
    uint32_t arguments[2];
    int32_t activation;
    struct hy_subgraph graph;
    struct hy_model model;
};

void net_make(struct net *net, bool is_quantised, uint32_t layers, const uint32_t *widths);
void net_finish(struct net *net);

/* Size of the input or output in bytes. */
size_t net_input_size(const struct net *net);
size_t net_output_size(const struct net *net);

/* A device of the sample driver on a host with an in-memory cache. */
struct cached_device {
    struct plugin_fixture plugins;
    const struct hy_device *table;
    void *device;
    uint32_t data_count;
};

/* Opens a device with the driver arguments. With `has_cache` false the host has no cache
 * functions. */
bool cached_device_init(struct cached_device *device, const char *arguments, bool has_cache);
void cached_device_finish(struct cached_device *device);

/* The cache files of a prepared model: a model file, followed by the data files. */
struct cached_files {
    uint8_t token[HY_TOKEN_SIZE];
    int32_t fds[1 + HY_MAX_CACHE_FILES];
    uint32_t count;
};

void cached_files_open(const struct cached_device *device, uint8_t number,
                       struct cached_files *files);
void cached_files_close(struct cached_files *files);
int64_t cached_files_bytes(const struct cached_files *files);

/* Replaces `files` with the files of the entry committed by the driver. */
bool cached_files_reopen(const struct cached_device *device, struct cached_files *files);

int32_t cached_prepare(const struct cached_device *device, const struct net *net,
                       const struct cached_files *files, int64_t deadline, void **prepared);
int32_t cached_restore(const struct cached_device *device, const struct cached_files *files,
                       int64_t deadline, void **prepared);
int32_t cached_execute(const struct cached_device *device, const struct net *net, void *prepared,
                       int64_t deadline, uint8_t *output);

/* Nanoseconds of the clock for deadlines. */
int64_t cached_now(void);

#endif
