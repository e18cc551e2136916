/* How much memory there is for a process, by made-up control groups. */
#include "common/memory/memory_available.h"
#include "tests/kit/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MACHINE (UINT64_C(16) << 30)

static char dir[64];

static bool write_file(const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fputs(text, file);
    return fclose(file) == 0;
}

static bool make_dir(const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return mkdir(path, 0700) == 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

/* A service in a slice: its own limit, and that of the slice. */
static bool begin(const char *groups, const char *own, const char *slice)
{
    snprintf(dir, sizeof dir, "/tmp/halyard-groups-XXXXXX");
    return mkdtemp(dir) && write_file("groups", groups) && make_dir("a.slice") &&
           make_dir("a.slice/b.service") && write_file("a.slice/memory.max", slice) &&
           write_file("a.slice/b.service/memory.max", own);
}

static uint64_t available(void)
{
    char groups[96];

    snprintf(groups, sizeof groups, "%s/groups", dir);
    return hy_memory_available(MACHINE, groups, dir);
}

static void end(void)
{
    (void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

TEST(memory_available, least_limit_of_the_groups_around_a_process_counts)
{
    static const struct {
        const char *groups, *own, *slice;
        uint64_t expected;
    } cases[] = {
        {"0::/a.slice/b.service\n", "1048576\n", "max\n", 1048576},
        {"0::/a.slice/b.service\n", "max\n", "2097152\n", 2097152},
        {"0::/a.slice/b.service\n", "4194304\n", "2097152\n", 2097152},
        {"3:memory:/other\n0::/a.slice\n", "1048576\n", "2097152\n", 2097152},
        {"0::/a.slice/b.service\n", "max\n", "max\n", MACHINE},
        {"0::/a.slice/b.service\n", "99999999999999999999999\n", "?\n", MACHINE},
        {"0::/gone/b.service\n", "1048576\n", "1048576\n", MACHINE},
        {"0::/../a.slice\n", "1048576\n", "1048576\n", MACHINE},
        {"0::/\n", "1048576\n", "1048576\n", MACHINE},
        {"4:memory:/a.slice\n", "1048576\n", "1048576\n", MACHINE},
        {"", "1048576\n", "1048576\n", MACHINE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        REQUIRE(begin(cases[i].groups, cases[i].own, cases[i].slice));
        EXPECT_INT(available(), cases[i].expected);
        end();
    }
}

TEST(memory_available, group_of_a_container_is_the_root)
{
    REQUIRE(begin("0::/\n", "max\n", "max\n"));
    REQUIRE(write_file("memory.max", "3145728\n"));
    EXPECT_INT(available(), 3145728);
    end();
    EXPECT_INT(hy_memory_available(MACHINE, "/nowhere", "/nowhere"), MACHINE);
    EXPECT(hy_system_memory() > UINT64_C(64) << 20);
}

TEST(memory_available, limits_of_version_1_count_among_other_controllers)
{
    REQUIRE(begin("9:cpu,memory:/box\n4:pids:/a.slice\n0::/\n", "max\n", "max\n"));
    REQUIRE(make_dir("memory") && make_dir("memory/box"));
    REQUIRE(write_file("memory/memory.limit_in_bytes", "9223372036854771712\n"));
    EXPECT_INT(available(), MACHINE);
    REQUIRE(write_file("memory/box/memory.limit_in_bytes", "5242880\n"));
    EXPECT_INT(available(), 5242880);
    REQUIRE(write_file("memory.max", "3145728\n"));
    EXPECT_INT(available(), 3145728);
    end();
}
