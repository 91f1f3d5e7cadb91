// What the C++ library of a newer compiler wants of its glibc and glibc 2.31 has not. Linked into the portable
// binary only.
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <sys/random.h>

char __libc_single_threaded = 0;  // glibc 2.32: never sure, so counters are always changed atomically

uint32_t arc4random(void) {  // glibc 2.36
  uint32_t number;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}

// glibc 2.35: where the unwinder finds the frames of the object that holds an address. A cross compiler brings
// its own, newer headers.
#if !__GLIBC_PREREQ(2, 35)
struct dl_find_object {
  unsigned long long dlfo_flags;
  void *dlfo_map_start, *dlfo_map_end;
  struct link_map* dlfo_link_map;
  void* dlfo_eh_frame;
  unsigned long long reserved[7];
};
#endif

struct search {
  uintptr_t address;
  struct dl_find_object* found;
};

static int look(struct dl_phdr_info* info, size_t size, void* user) {
  struct search* search = user;
  uintptr_t from = UINTPTR_MAX, to = 0, frames = 0;
  int inside = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
    if (part->p_type == PT_GNU_EH_FRAME) frames = begin;
    if (part->p_type != PT_LOAD) continue;
    from = begin < from ? begin : from;
    to = end > to ? end : to;
    inside |= search->address >= begin && search->address < end;
  }
  if (!inside || frames == 0) return 0;
  search->found->dlfo_map_start = (void*)from;
  search->found->dlfo_map_end = (void*)to;
  search->found->dlfo_eh_frame = (void*)frames;
  return 1;
}

int _dl_find_object(void* address, struct dl_find_object* found) {
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}
