package org.vstar.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class ContentHashTest {

  @Test
  void isSha256OverEachPartBehindItsLength() throws Exception {
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    sha.update(new byte[] {0, 0, 0, 2, 'a', 'b', 0, 0, 0, 0, 0, 0, 0, 7});
    byte[] digest = sha.digest();
    assertThat(new ContentHash().add("ab").add(7).hex())
        .isEqualTo(HexFormat.of().formatHex(digest).substring(0, 16));
    assertThat(new ContentHash().add("ab").add(7).number())
        .isEqualTo(java.nio.ByteBuffer.wrap(digest).getLong());
  }

  @Test
  void theBordersOfPartsCount() {
    assertThat(new ContentHash().add("ab").add("c").hex())
        .isNotEqualTo(new ContentHash().add("a").add("bc").hex());
  }

  @Test
  void orderDependsOnContentAlone() {
    List<String> one =
        ContentHash.order(List.of("a", "b", "c", "d"), s -> new ContentHash().add(s));
    List<String> two =
        ContentHash.order(List.of("d", "b", "a", "c"), s -> new ContentHash().add(s));
    assertThat(two).isEqualTo(one).containsExactlyInAnyOrder("a", "b", "c", "d");
    assertThat(one).isNotEqualTo(List.of("a", "b", "c", "d"));
  }
}
