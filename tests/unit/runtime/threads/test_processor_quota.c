/* Quotas of processor time, in trees of control groups that are made up. */
#include "runtime/threads/processor_quota.h"

#include "tests/kit/test.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define V2_MOUNT \
    "24 1 0:21 / /proc rw - proc proc rw\n" \
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNT \
    "31 24 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n" \
    "32 24 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"

static char root[64];

static void make_root(void)
{
    strcpy(root, "/tmp/halyard-quota-XXXXXX");
    if (!mkdtemp(root))
        root[0] = '\0';
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *position)
{
    (void)info;
    (void)type;
    (void)position;
    return remove(path);
}

static void remove_root(void)
{
    nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* With the folders on its way. */
static void write_file(const char *name, const char *text)
{
    char path[512];

    REQUIRE(root[0] != '\0');
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *end = strchr(path + strlen(root) + 1, '/'); end; end = strchr(end + 1, '/')) {
        *end = '\0';
        mkdir(path, S_IRWXU);
        *end = '/';
    }
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    EXPECT(fputs(text, file) >= 0);
    fclose(file);
}

static void write_self(const char *cgroup, const char *mountinfo)
{
    write_file("proc/self/cgroup", cgroup);
    write_file("proc/self/mountinfo", mountinfo);
}

static void expect_v2(const char *cpu_max, uint32_t expected)
{
    write_file("sys/fs/cgroup/app/cpu.max", cpu_max);
    EXPECT_INT(hy_processor_quota(root), expected);
}

TEST(processor_quota, of_version_2_is_rounded_up_to_whole_processors)
{
    make_root();
    write_self("0::/app\n", V2_MOUNT);
    expect_v2("400000 100000\n", 4);
    expect_v2("150000 100000\n", 2);
    expect_v2("100000 100000\n", 1);
    expect_v2("1000 100000\n", 1);
    expect_v2("50000 20000\n", 3);
    expect_v2("max 100000\n", UINT32_MAX);
    remove_root();
}

TEST(processor_quota, of_version_1_is_read_where_the_cpu_controller_is_mounted)
{
    make_root();
    write_self("5:cpuset:/other\n4:cpu,cpuacct:/app\n0::/\n", V1_MOUNT);
    write_file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "250000\n");
    write_file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
    write_file("sys/fs/cgroup/cpuset/other/cpu.cfs_quota_us", "100000\n");
    write_file("sys/fs/cgroup/cpuset/other/cpu.cfs_period_us", "100000\n");
    EXPECT_INT(hy_processor_quota(root), 3);
    write_file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "-1\n");
    EXPECT_INT(hy_processor_quota(root), UINT32_MAX);
    remove_root();
}

TEST(processor_quota, is_the_least_of_the_group_and_of_all_above)
{
    make_root();
    write_self("0::/slice/app/part\n", V2_MOUNT);
    write_file("sys/fs/cgroup/slice/app/part/cpu.max", "800000 100000\n");
    EXPECT_INT(hy_processor_quota(root), 8);
    write_file("sys/fs/cgroup/slice/app/cpu.max", "max 100000\n");
    EXPECT_INT(hy_processor_quota(root), 8);
    write_file("sys/fs/cgroup/slice/cpu.max", "200000 100000\n");
    EXPECT_INT(hy_processor_quota(root), 2);
    remove_root();
}

/* The mount of a container begins at its own group, whose path may be that of the host or not. */
TEST(processor_quota, of_a_container_is_that_of_the_mounted_group)
{
    static const char *const paths[] = {"0::/docker/abc\n", "0::/docker/abc/app\n", "0::/\n",
                                        "0::/../other\n", "0::/docker/abcdef\n"};
    make_root();
    write_file("proc/self/mountinfo",
               "30 24 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    write_file("sys/fs/cgroup/cpu.max", "300000 100000\n");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        write_file("proc/self/cgroup", paths[i]);
        EXPECT_INT(hy_processor_quota(root), 3);
    }
    remove_root();
}

TEST(processor_quota, of_both_versions_is_the_smaller)
{
    make_root();
    write_self("1:cpu,cpuacct:/a\n0::/b\n",
               V1_MOUNT "33 24 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    write_file("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "500000\n");
    write_file("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
    write_file("sys/fs/cgroup/unified/b/cpu.max", "200000 100000\n");
    EXPECT_INT(hy_processor_quota(root), 2);
    remove_root();
}

TEST(processor_quota, is_none_where_files_are_missing_or_malformed)
{
    static const char *const texts[] = {"",           "max",         "x y\n",      "100000\n",
                                        "100000 0\n", "-5 100000\n", "100000 -1\n"};
    make_root();
    EXPECT_INT(hy_processor_quota(root), UINT32_MAX);
    write_self("0::/app\n", "");
    EXPECT_INT(hy_processor_quota(root), UINT32_MAX);
    write_self("0:/app\nnonsense\n", V2_MOUNT "- \n30 cut - off\n");
    EXPECT_INT(hy_processor_quota(root), UINT32_MAX);
    write_self("0::/app\n", V2_MOUNT);
    EXPECT_INT(hy_processor_quota(root), UINT32_MAX);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_v2(texts[i], UINT32_MAX);
    remove_root();
}
