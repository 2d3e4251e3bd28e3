"""Reads a run directory of hotlap and writes report.html, findings.md and pictures.

It never talks to a server, and the same directory gives the same bytes.
"""
