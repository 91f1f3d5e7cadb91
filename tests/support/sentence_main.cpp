// Prints every sentence of the tree that is named: what tests/words keeps.
#include <iostream>

#include "tests/support/sentence_list.h"

int main(int count, char** words) { std::cout << tern::sentence_page(count > 1 ? words[1] : "."); }
