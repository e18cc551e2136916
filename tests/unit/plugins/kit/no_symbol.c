/* A library that is no driver. */
int not_a_driver(void);

__attribute__((visibility("default"))) int not_a_driver(void)
{
    return 1;
}
