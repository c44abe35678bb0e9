SELECT number FROM numbering WHERE only_row = 1
