/** How an episode is written as tokens. */
package org.vstar.model.chat;
