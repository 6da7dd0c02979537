/**
 * What every room needs and no room owns: content hashes and fingerprints, configs, the error for
 * bad input, files that appear whole, threads.
 */
package org.vstar.common;
