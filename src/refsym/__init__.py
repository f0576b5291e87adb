"""The `refsym` command: reads, renders, reports. Libraries never import it."""
