"""Scatters asked of any work items of one group, whatever the layout of their ids."""
