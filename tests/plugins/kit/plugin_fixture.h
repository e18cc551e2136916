#ifndef HY_TESTS_PLUGIN_FIXTURE_H
#define HY_TESTS_PLUGIN_FIXTURE_H

#include "plugins/plugins.h"

#include <stdbool.h>

/* A folder of its own for manifests and libraries, and a host that remembers what was logged. */
struct plugin_fixture {
    char root[64];
    struct hy_host host;
    struct hy_plugin_hosts hosts;  /* that one for all */
    struct hy_discovery discovery; /* of the test's making; empty at first */
    struct hy_plugins *plugins;
    size_t log_length;
    char log[16384];
};

/* Makes the folder; false (and a failed test) if it cannot. */
bool plugin_fixture_init(struct plugin_fixture *fixture);
void plugin_fixture_finish(struct plugin_fixture *fixture);

/* root + "/" + name. The text stays good for the next 15 calls. */
const char *plugin_fixture_path(const struct plugin_fixture *fixture, const char *name);

/* Writes a file below the root; its folders are made. */
void plugin_fixture_write(const struct plugin_fixture *fixture, const char *name, const char *text);

/* Writes a manifest. `arguments` is JSON text. */
void plugin_fixture_manifest(const struct plugin_fixture *fixture, const char *name,
                             const char *library, const char *arguments, int priority);

/* hy_plugins_open of the fixture's discovery and host; false (and a failed test) if it fails. */
bool plugin_fixture_open(struct plugin_fixture *fixture);

/* The names of all devices, in order, with a blank behind each: "a b ". */
const char *plugin_fixture_names(const struct plugin_fixture *fixture);

/* The reason for the only refusal; "" (and a failed test) if there are more or less. */
const char *plugin_fixture_reason(const struct plugin_fixture *fixture);

/* A host without a fixture: maps HY_POOL_HOST, drops the log. */
extern const struct hy_host plugin_quiet_host;

#endif
