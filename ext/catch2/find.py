"""Catch2 2.13, the single header: unit and contract tests."""
packages = "catch2"
headers = ["catch2/catch.hpp"]
part = "tests"
