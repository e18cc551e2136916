#ifndef HY_TESTS_PLUGIN_FIXTURE_H
#define HY_TESTS_PLUGIN_FIXTURE_H

#include "plugins/plugins.h"

#include <stdbool.h>

/* A test directory for manifests and libraries, and a host with a log buffer. */
struct plugin_fixture {
    char root[64];
    struct hy_host host;
    struct hy_plugin_hosts hosts;  /* `host` for all drivers */
    struct hy_discovery discovery; /* set by the test; initially empty */
    struct hy_plugins *plugins;
    size_t log_length;
    char log[16384];
};

/* Creates the directory. On failure records a test failure and returns false. */
bool plugin_fixture_init(struct plugin_fixture *fixture);
void plugin_fixture_finish(struct plugin_fixture *fixture);

/* root + "/" + name. Valid for the next 15 calls. */
const char *plugin_fixture_path(const struct plugin_fixture *fixture, const char *name);

/* Writes a file below the root and creates missing directories. */
void plugin_fixture_write(const struct plugin_fixture *fixture, const char *name, const char *text);

/* Writes a manifest. `arguments` is JSON text. */
void plugin_fixture_manifest(const struct plugin_fixture *fixture, const char *name,
                             const char *library, const char *arguments, int priority);

/* Calls hy_plugins_open with the fixture's discovery and host. On failure records a test failure
 * and returns false. */
bool plugin_fixture_open(struct plugin_fixture *fixture);

/* The names of all devices in order, each with a blank behind: "a b ". */
const char *plugin_fixture_names(const struct plugin_fixture *fixture);

/* The reason of the only refusal. Records a test failure and returns "" unless exactly one refusal
 * exists. */
const char *plugin_fixture_reason(const struct plugin_fixture *fixture);

/* A host without fixture: maps HY_POOL_HOST and ignores the log. */
extern const struct hy_host plugin_quiet_host;

#endif
