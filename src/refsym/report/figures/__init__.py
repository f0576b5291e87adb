"""Figures as inline SVG; matplotlib is imported only when one is drawn."""
