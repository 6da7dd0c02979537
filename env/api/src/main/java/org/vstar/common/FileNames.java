package org.vstar.common;

/** Names of files that stand in other files. */
public final class FileNames {

  private FileNames() {}

  /**
   * Refuses what is not the name of a file in a folder: a path, an empty name, one with a control
   * character.
   *
   * @param where what says so, the first words of the message
   * @throws InvalidInputException with the name, in which control characters are written out
   */
  public static void require(String where, String name) {
    boolean plain =
        !name.isEmpty()
            && !name.equals(".")
            && !name.equals("..")
            && name.chars().noneMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c));
    if (!plain) {
      StringBuilder shown = new StringBuilder();
      name.chars()
          .forEach(
              c -> {
                if (Character.isISOControl(c)) {
                  shown.append("\\u").append(Integer.toHexString(0x10000 | c).substring(1));
                } else {
                  shown.append((char) c);
                }
              });
      throw new InvalidInputException(where + " '" + shown + "', expected a file's name");
    }
  }
}
