#include <cstdio>

int main() { std::puts("tern " TERN_VERSION); }
