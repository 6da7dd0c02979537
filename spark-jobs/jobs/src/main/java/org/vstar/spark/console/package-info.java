/** What a command says to the person who typed it. */
package org.vstar.spark.console;
