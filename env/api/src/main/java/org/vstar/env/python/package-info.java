/** CPython to the last bit: its random numbers, its texts, its measure of how alike texts are. */
package org.vstar.env.python;
