UPDATE numbering SET number = random() WHERE only_row = 1
