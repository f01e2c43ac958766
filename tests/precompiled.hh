#pragma once

/// What nearly every test includes: g++ reads it once (SConstruct).
#include "../src/precompiled.hh"

#include <catch2/catch.hpp>
