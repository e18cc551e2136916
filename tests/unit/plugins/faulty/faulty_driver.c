/* The library, its instances and tables. */
#include "faulty.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void faulty_crash(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

int has_fault(const struct device *device, const char *fault)
{
    return device->is_faulty && strcmp(device->instance->fault, fault) == 0;
}

void faulty_device_end(const struct device *device, const char *function)
{
    if (device->is_faulty)
        faulty_end(device->instance->fault, function);
}

const char *faulty_long_hostile_text(void)
{
    static char text[64000];
    if (text[0] == '\0')
        for (size_t used = 0; used + sizeof FAULTY_HOSTILE_TEXT + 3 < sizeof text;
             used += sizeof FAULTY_HOSTILE_TEXT - 1)
            strcpy(text + used, FAULTY_HOSTILE_TEXT "\xe2\x82");
    return text;
}

void faulty_talk(const struct device *device)
{
    const struct hy_host *host = device->instance->host;
    if (strncmp(device->instance->fault, "talks", 5) != 0)
        return;
    host->log(host->context, HY_LOG_ERROR, FAULTY_HOSTILE_TEXT);
    host->log(host->context, HY_LOG_ERROR, faulty_long_hostile_text());
}

static void read_text(const char *arguments, const char *key, char *out, size_t capacity)
{
    char pattern[32];
    snprintf(pattern, sizeof pattern, "\"%s\":\"", key);
    const char *at = strstr(arguments, pattern);
    if (!at)
        return;
    at += strlen(pattern);
    snprintf(out, capacity, "%.*s", (int)strcspn(at, "\""), at);
}

static unsigned read_count(const char *arguments, const char *key, unsigned otherwise)
{
    char pattern[32];
    snprintf(pattern, sizeof pattern, "\"%s\":", key);
    const char *at = strstr(arguments, pattern);
    return at ? (unsigned)strtoul(at + strlen(pattern), NULL, 10) : otherwise;
}

/* ---- Tables ---- */

static int32_t burst_open(void *prepared, void **burst)
{
    (void)prepared, (void)burst;
    return HY_STATUS_GENERAL_FAILURE;
}

static void fill_table(struct device *device)
{
    device->table = (struct hy_device){.struct_size = sizeof device->table,
                                       .abi = HY_DRIVER_ABI,
                                       .describe = faulty_describe,
                                       .capabilities = faulty_capabilities,
                                       .supported_operations = faulty_supported,
                                       .prepare = faulty_prepare,
                                       .prepared_destroy = faulty_prepared_destroy,
                                       .execute = faulty_execute};
    if (device->instance->full)
        faulty_add_groups(&device->table);
    if (has_fault(device, "table-size"))
        device->table.struct_size = offsetof(struct hy_device, execute);
    if (has_fault(device, "table-abi"))
        device->table.abi = HY_ABI(2, 0);
    if (has_fault(device, "no-describe"))
        device->table.describe = NULL;
    if (has_fault(device, "no-execute"))
        device->table.execute = NULL;
    if (has_fault(device, "half-a-burst"))
        device->table.burst_open = burst_open;
}

/* ---- The library ----------------------------------------------------------------------------- */

void faulty_end(const char *fault, const char *function)
{
    const size_t length = strlen(function);

    if (strncmp(fault, function, length) != 0)
        return;
    if (strcmp(fault + length, "-crashes") == 0)
        faulty_crash();
    if (strcmp(fault + length, "-exits") == 0)
        exit(3);
    while (strcmp(fault + length, "-hangs") == 0)
        pause();
}

/* What an instance does to its process when it is made. */
static void ignore(int number)
{
    (void)number;
}

static void misbehave_early(const char *fault)
{
    if (strcmp(fault, "prints") == 0)
        puts("faulty driver 1.0 at your service");
    if (strcmp(fault, "prints-errors") == 0)
        fputs("no firmware\n", stderr);
    if (strcmp(fault, "signal-handler") == 0)
        signal(SIGTERM, ignore);
    faulty_end(fault, "create");
}

/* It opens as often as a file of its is long. */
static int is_worn_out(const char *arguments)
{
    char path[128] = "";
    struct stat info;

    read_text(arguments, "uses", path, sizeof path);
    return path[0] &&
           (stat(path, &info) != 0 || info.st_size == 0 || truncate(path, info.st_size - 1) != 0);
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **out)
{
    struct instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return HY_STATUS_GENERAL_FAILURE;
    instance->host = host;
    strcpy(instance->name, "faulty");
    read_text(arguments, "fault", instance->fault, sizeof instance->fault);
    read_text(arguments, "name", instance->name, sizeof instance->name);
    instance->devices = read_count(arguments, "devices", 1);
    instance->full = read_count(arguments, "full", 0);
    unsigned faulty = read_count(arguments, "faulty", 0);

    if (strcmp(instance->fault, "create-fails") == 0) {
        if (message->text)
            memset(message->text, '!', message->size); /* without an end */
        free(instance);
        return HY_STATUS_DEVICE_UNAVAILABLE;
    }
    if (strcmp(instance->fault, "talks-create") == 0) {
        snprintf(message->text, message->size, "%s", FAULTY_HOSTILE_TEXT);
        free(instance);
        return HY_STATUS_DEVICE_UNAVAILABLE;
    }
    if (is_worn_out(arguments)) {
        snprintf(message->text, message->size, "worn out");
        free(instance);
        return HY_STATUS_DEVICE_UNAVAILABLE;
    }
    if (strcmp(instance->fault, "create-gives-nothing") == 0) {
        free(instance);
        *out = NULL;
        return HY_STATUS_OK;
    }
    misbehave_early(instance->fault);
    for (unsigned i = 0; i < MAX_DEVICES; i++) {
        struct device *device = &instance->device[i];
        device->instance = instance;
        device->is_faulty = i == faulty;
        if (instance->devices > 1)
            snprintf(device->name, sizeof device->name, "%s-%u", instance->name, i);
        else
            strcpy(device->name, instance->name);
        fill_table(device);
    }
    if (strcmp(instance->fault, "one-instance") == 0) {
        static struct instance *only;
        only = only ? only : instance;
        instance = only;
    }
    *out = instance;
    return HY_STATUS_OK;
}

static void destroy(void *self)
{
    struct instance *instance = self;
    if (strcmp(instance->fault, "one-instance") != 0)
        free(instance);
}

static uint32_t device_count(void *self)
{
    const struct instance *instance = self;
    return instance->devices;
}

static int32_t get_device(void *self, uint32_t index, const struct hy_device **table, void **device)
{
    struct instance *instance = self;
    if (index >= MAX_DEVICES || has_fault(&instance->device[index], "device-fails"))
        return HY_STATUS_INVALID_ARGUMENT;
    *table = &instance->device[index].table;
    *device = &instance->device[index];
    if (has_fault(&instance->device[index], "table-null"))
        *table = NULL;
    return HY_STATUS_OK;
}

static const struct hy_driver driver = {
    .struct_size = sizeof driver,
    .abi = HY_DRIVER_ABI,
    .name = "faulty",
    .create = create,
    .destroy = destroy,
    .device_count = device_count,
    .device = get_device,
};

#ifdef DLOPEN_FAULT /* the same: dlopen does not come back */
__attribute__((constructor)) static void end_in_dlopen(void)
{
    faulty_end(DLOPEN_FAULT, "dlopen");
}
#endif

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
#ifdef CARELESS_QUERY /* a fault that no argument can ask for */
    (void)host_abi;
    return &driver;
#else
    return host_abi >= HY_DRIVER_ABI ? &driver : NULL;
#endif
}
