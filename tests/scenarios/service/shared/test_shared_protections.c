/* Memory of each protection in each role, on a device of a shared service. */
#include "shared_service.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/service/client/isolated.h"
#include "tests/unit/plugins/service/client/protections.h"

#include <stdlib.h>

#define CPU "halyard-cpu"

static const char *const cpu_alone[] = {CPU};

static struct shared_service service;

/* The environment is read once, so that all tests use the same service. */
static bool start(void)
{
    static const char *const arguments[] = {"--cpu", NULL};
    char sockets[128];
    int status;

    if (service.pid > 0)
        return true;
    if (!shared_service_init(&service))
        return false;
    snprintf(sockets, sizeof sockets, CPU "=%s", service.socket);
    setenv("HALYARD_SERVICE_SOCKETS", sockets, 1);
    return shared_service_start(&service, arguments, &status) &&
           isolated_pid(CPU) == shared_service_host(&service);
}

__attribute__((destructor)) static void clean_up(void)
{
    if (*service.dir)
        shared_service_finish(&service);
}

TEST(shared_protections, memory_serves_each_role_that_its_protection_allows)
{
    REQUIRE(start());
    protections_compute(cpu_alone, 1, false);
    protections_compute(cpu_alone, 1, true);
}

TEST(shared_protections, memory_without_the_protection_of_a_role_is_refused_when_it_is_set)
{
    REQUIRE(start());
    protections_refused(CPU);
}

TEST(shared_protections, copies_need_a_source_to_read_and_a_destination_to_write)
{
    REQUIRE(start());
    protections_copy(CPU);
}
