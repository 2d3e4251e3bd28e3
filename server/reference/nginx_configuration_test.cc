#include "server/reference/nginx_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace hotlap::reference {
namespace {

using testing::HasSubstr;
using testing::Not;

NginxSettings settings() {
  NginxSettings settings;
  settings.address = "[::1]:8080";
  settings.workers = 3;
  settings.connections = 1008;
  return settings;
}

TEST(NginxConfiguration, SaysWhatWasSet) {
  const std::string text = nginx_configuration(settings());
  EXPECT_THAT(text, HasSubstr("listen [::1]:8080 backlog="));
  EXPECT_THAT(text, HasSubstr("worker_processes 3;"));
  EXPECT_THAT(text, HasSubstr("worker_connections 1008;"));
  EXPECT_THAT(text, HasSubstr("access_log off;"));
  EXPECT_THAT(text, Not(HasSubstr("user ")));
  EXPECT_THAT(text, Not(HasSubstr("@USER")));
  NginxSettings as_root = settings();
  as_root.user = "root";
  EXPECT_THAT(nginx_configuration(as_root), HasSubstr("user root;"));
}

TEST(NginxConfiguration, NoPlaceIsLeft) {
  std::string text = nginx_configuration(settings());
  const std::string named_location = "@refused";
  for (size_t at = text.find(named_location); at != std::string::npos;
       at = text.find(named_location)) {
    text.erase(at, named_location.size());
  }
  EXPECT_THAT(text, Not(HasSubstr("@")));
}

// nginx refuses a parameter that does not fit into its buffer of 4,096 bytes.
TEST(NginxConfiguration, NoWordIsLongerThanNginxReads) {
  std::istringstream words(nginx_configuration(settings()));
  size_t longest = 0;
  for (std::string word; words >> word;) longest = std::max(longest, word.size());
  EXPECT_GT(longest, 1000u);
  EXPECT_LT(longest, 4096u);
}

}  // namespace
}  // namespace hotlap::reference
