/* Gives QEMU's NVMe drive, and switches above it, the PCIe link of a real one.
 *
 * QEMU's nvme device always reports 2.5 GT/s x1, has no AER capability, and
 * calls itself "QEMU NVMe Ctrl". This file is preloaded into Debian's unchanged
 * qemu-system-aarch64 and writes what the lab wants into the device's registers
 * once the machine is made. It uses only functions that QEMU exports to its
 * modules, and no header of QEMU.
 *
 *   LAB_LINK=TYPE:SPEEDxWIDTH:SPEEDxWIDTH,...   what a device can do, what it runs
 *                                               at; speeds 1 2 3 4 = 2.5 5 8 16 GT/s
 *   LAB_AER=TYPE,...                            types that get an AER capability
 *   LAB_NVME=model=TEXT;firmware=TEXT;celsius=N what the drive says of itself
 *   LAB_CONTROL=PATH                            a file read five times a second: lines
 *                                               of LAB_LINK or LAB_NVME that then hold
 *
 * TYPE is a QOM type: nvme, x3130-upstream, xio3130-downstream.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* From QEMU. Weak, so that a program without them (a child) starts all the same. */
struct notifier {
    void (*notify)(struct notifier *, void *);
    void *links[2];
};
__attribute__((weak)) void qemu_add_machine_init_done_notifier(struct notifier *);
__attribute__((weak)) void *object_get_root(void);
__attribute__((weak)) void *object_dynamic_cast(void *, const char *);
__attribute__((weak)) int object_child_foreach_recursive(void *, int (*)(void *, void *), void *);
__attribute__((weak)) bool object_property_set_uint(void *, const char *, uint64_t, void **);
__attribute__((weak)) uint32_t pci_default_read_config(void *, uint32_t, int);
__attribute__((weak)) int pcie_aer_init(void *, uint8_t, uint16_t, uint16_t, void **);
__attribute__((weak)) void pcie_cap_deverr_init(void *);

static unsigned get16(const uint8_t *at) { return at[0] | at[1] << 8; }
static uint32_t get32(const uint8_t *at) { return get16(at) | (uint32_t)get16(at + 2) << 16; }
static void put16(uint8_t *at, unsigned value) { at[0] = value; at[1] = value >> 8; }
static void put32(uint8_t *at, uint32_t value) { put16(at, value); put16(at + 2, value >> 16); }

/* Copies memory that may not be mapped. */
static bool copy(void *to, const void *from, size_t size) {
    struct iovec here = { to, size }, there = { (void *)from, size };
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* The device's configuration space: the struct holds a pointer to it, known by
 * the ids and the class that QEMU's own accessor reads from there. */
static uint8_t *config_space(void *device) {
    uint32_t id = pci_default_read_config(device, 0, 4), class = pci_default_read_config(device, 8, 4);
    for (size_t offset = 0; offset < 8192; offset += sizeof(void *)) {
        void *candidate;
        uint32_t head[3];
        if (!copy(&candidate, (char *)device + offset, sizeof candidate)) return NULL;
        if ((uintptr_t)candidate % 8 || !copy(head, candidate, sizeof head)) continue;
        if (head[0] == id && head[2] == class) return candidate;
    }
    return NULL;
}

/* Offset of the PCI Express capability, or 0. */
static int express(const uint8_t *space) {
    int at = space[0x34];
    while (at && space[at] != 0x10) at = space[at + 1];
    return at;
}

struct link {
    char type[64];
    unsigned can_speed, can_width, speed, width;
};

static int set_link(void *object, void *opaque) {
    struct link *link = opaque;
    if (!object_dynamic_cast(object, link->type) || !object_dynamic_cast(object, "pci-device")) return 0;
    uint8_t *space = config_space(object);
    int at = space ? express(space) : 0;
    if (!at) {
        fprintf(stderr, "link: %s has no PCI Express capability\n", link->type);
        return 0;
    }
    uint8_t *capabilities = space + at + 0x0c, *status = space + at + 0x12;
    put32(capabilities, (get32(capabilities) & ~0x3ffu) | link->can_speed | link->can_width << 4);
    put16(status, (get16(status) & ~0x3ffu) | link->speed | link->width << 4);
    if ((space[at + 2] & 15) >= 2) {
        uint8_t *speeds = space + at + 0x2c, *target = space + at + 0x30;
        put32(speeds, (get32(speeds) & ~0xfeu) | ((2u << link->can_speed) - 2));
        put16(target, (get16(target) & ~0xfu) | link->can_speed);
    }
    return 0;
}

static int add_aer(void *object, void *type) {
    void *error = NULL;
    if (!object_dynamic_cast(object, type) || !object_dynamic_cast(object, "pci-device")) return 0;
    uint8_t *space = config_space(object);
    /* Behind the extended capabilities that are there, if any. */
    if (!space || pcie_aer_init(object, 2, get32(space + 0x100) ? 0x400 : 0x100, 0x48, &error) || error)
        fprintf(stderr, "link: %s got no AER capability\n", (char *)type);
    else
        pcie_cap_deverr_init(object);
    return 0;
}

struct identity {
    const char *model, *firmware;
    int celsius;
    bool has_celsius;
};

static void padded(uint8_t *to, size_t size, const char *text) {
    size_t length = strlen(text);
    memset(to, ' ', size);
    memcpy(to, text, length < size ? length : size);
}

/* How many bytes of the object can be read, at most `most`. */
static size_t readable(const uint8_t *object, size_t most) {
    uint8_t page[256];
    size_t size = 0;
    while (size < most && copy(page, object + size, sizeof page)) size += sizeof page;
    return size;
}

static int set_identity(void *object, void *opaque) {
    static const char own_name[] = "QEMU NVMe Ctrl            ";
    static size_t warning; /* offset of smart_critical_warning in the controller */
    struct identity *wanted = opaque;
    if (!object_dynamic_cast(object, "nvme")) return 0;
    uint8_t *bytes = object;
    size_t size = readable(bytes, 65536);
    uint8_t *name = memmem(bytes, size, own_name, sizeof own_name - 1);
    if (name) { /* only the first time */
        if (wanted->firmware) padded(name + 40, 8, wanted->firmware);
        if (wanted->model) padded(name, 40, wanted->model);
    }
    if (!wanted->has_celsius) return 0;
    if (!warning) {
        /* The temperature, 323 K at first, stands before a byte that has a property:
         * setting that shows where. */
        void *error = NULL;
        uint8_t *before = malloc(size);
        memcpy(before, bytes, size);
        object_property_set_uint(object, "smart_critical_warning", 0x1f, &error);
        for (size_t at = 2; at < size; at++)
            if (!before[at] && bytes[at] == 0x1f && get16(bytes + at - 2) == 323) warning = at;
        object_property_set_uint(object, "smart_critical_warning", 0, &error);
        free(before);
    }
    if (warning) put16(bytes + warning - 2, wanted->celsius + 273);
    else fprintf(stderr, "link: the drive's temperature was not found\n");
    return 0;
}

static void each(int (*visit)(void *, void *), void *opaque) {
    object_child_foreach_recursive(object_get_root(), visit, opaque);
}

static void identify(const char *text) {
    struct identity wanted = { 0 };
    char *copied = strdup(text), *rest;
    for (char *part = strtok_r(copied, ";\n", &rest); part; part = strtok_r(NULL, ";\n", &rest)) {
        if (!strncmp(part, "model=", 6)) wanted.model = part + 6;
        if (!strncmp(part, "firmware=", 9)) wanted.firmware = part + 9;
        if (sscanf(part, "celsius=%d", &wanted.celsius) == 1) wanted.has_celsius = true;
    }
    each(set_identity, &wanted);
    free(copied);
}

static void train(const char *text) {
    char *copied = strdup(text), *rest;
    for (char *part = strtok_r(copied, ",\n", &rest); part; part = strtok_r(NULL, ",\n", &rest)) {
        struct link link;
        if (sscanf(part, "%63[^:]:%ux%u:%ux%u", link.type, &link.can_speed, &link.can_width, &link.speed,
                   &link.width) == 5)
            each(set_link, &link);
        else if (strchr(part, '='))
            identify(part);
        else
            fprintf(stderr, "link: not understood: %s\n", part);
    }
    free(copied);
}

static void *follow(void *path) {
    char last[512] = "", now[512];
    for (;; usleep(200000)) {
        FILE *file = fopen(path, "r");
        if (!file) continue;
        now[fread(now, 1, sizeof now - 1, file)] = 0;
        fclose(file);
        if (*now && strcmp(now, last)) {
            strcpy(last, now);
            train(now);
        }
    }
    return NULL;
}

static void machine_made(struct notifier *notifier, void *data) {
    (void)notifier, (void)data;
    const char *aer = getenv("LAB_AER"), *link = getenv("LAB_LINK"), *nvme = getenv("LAB_NVME");
    const char *control = getenv("LAB_CONTROL");
    if (aer) {
        char *copied = strdup(aer), *rest;
        for (char *type = strtok_r(copied, ",", &rest); type; type = strtok_r(NULL, ",", &rest))
            each(add_aer, type);
        free(copied);
    }
    if (link) train(link);
    if (nvme) identify(nvme);
    if (control) {
        pthread_t thread;
        pthread_create(&thread, NULL, follow, strdup(control));
    }
}

static struct notifier when_made = { machine_made, { NULL, NULL } };

__attribute__((constructor)) static void loaded(void) {
    if (qemu_add_machine_init_done_notifier) qemu_add_machine_init_done_notifier(&when_made);
}
