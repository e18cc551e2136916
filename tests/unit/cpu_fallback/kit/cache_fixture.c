#include "cache_fixture.h"

#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/test.h"

void hy_cache_fixture_open(struct hy_cache_fixture *fixture, uint32_t device)
{
    hy_cache_host_init(&fixture->host);
    hy_builder_init(&fixture->builder);
    EXPECT_INT(hy_runner_open_on(&fixture->runner, &fixture->host.host, hy_cpu_driver(), device),
               HY_STATUS_OK);
}

void hy_cache_fixture_close(struct hy_cache_fixture *fixture)
{
    hy_runner_close(&fixture->runner);
    hy_builder_finish(&fixture->builder);
    EXPECT_INT(fixture->host.released, fixture->host.restored);
    hy_cache_host_finish(&fixture->host);
}

int32_t hy_cache_fixture_prepare(struct hy_cache_fixture *fixture)
{
    return hy_cache_host_prepare(&fixture->runner, hy_builder_model(&fixture->builder));
}
