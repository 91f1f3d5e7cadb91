int parse_one() { return 1; }
